# mypy: ignore-errors
"""Fit a small classifier with Keras and the SDK's callbacks for metrics, checkpoints and tables of predictions."""

import numpy as np
import wandb
from keras import Input, Sequential, layers, utils
from wandb.integration.keras import WandbEvalCallback, WandbMetricsLogger, WandbModelCheckpoint


class Predictions(WandbEvalCallback):
    def __init__(self, pictures, labels):
        super().__init__(["number", "picture", "label"], ["epoch", "number", "picture", "label", "predicted"])
        self.pictures, self.labels = pictures, labels

    def add_ground_truth(self, logs=None):
        for number, (picture, label) in enumerate(zip(self.pictures, self.labels, strict=True)):
            self.data_table.add_data(number, wandb.Image(picture), int(label))

    def add_model_predictions(self, epoch, logs=None):
        predicted = self.model.predict(self.pictures, verbose=0).argmax(axis=-1)
        for number in self.data_table_ref.get_index():
            self.pred_table.add_data(epoch, *self.data_table_ref.data[number], int(predicted[number]))


utils.set_random_seed(0)
shades = np.arange(0, 256, 2, dtype=np.uint8)
x = np.broadcast_to(shades[:, None, None, None], (128, 8, 8, 1))
y = np.repeat([0, 1], 64)

run = wandb.init(project="shades", config={"width": 4})
model = Sequential([
    Input((8, 8, 1)), layers.Rescaling(1 / 255), layers.Flatten(), layers.Dense(run.config.width, "relu"),
    layers.Dense(2, "softmax"),
])  # fmt: skip
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(
    x, y, batch_size=16, epochs=3, validation_data=(x[::32], y[::32]), verbose=0,
    callbacks=[WandbMetricsLogger(), WandbModelCheckpoint("kept/{epoch}.keras"), Predictions(x[::32], y[::32])],
)  # fmt: skip
run.finish()
