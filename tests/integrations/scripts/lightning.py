# mypy: ignore-errors
"""Fit a small module with Lightning, which logs through its own WandbLogger and checkpoints its models."""

import lightning
import torch
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import WandbLogger


class Line(lightning.LightningModule):
    def __init__(self, rate=0.1, layers=(1, 1)):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(*layers)

    def forward(self, x):
        return self.layer(x)

    def loss(self, batch):
        x, y = batch
        return torch.nn.functional.mse_loss(self(x), y)

    def training_step(self, batch):
        loss = self.loss(batch)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch):
        self.log("val/loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)


lightning.seed_everything(0)
x = torch.linspace(-1, 1, 64).reshape(-1, 1)
data = torch.utils.data.TensorDataset(x, 2 * x + 1)
logger = WandbLogger(project="lines", name="a line", log_model="all")
logger.experiment.config["data"] = "made up"
model = Line()
logger.watch(model, log="all", log_freq=4)
trainer = lightning.Trainer(
    max_epochs=4, logger=logger, accelerator="cpu", log_every_n_steps=2, enable_progress_bar=False,
    callbacks=[LearningRateMonitor("step"), ModelCheckpoint(monitor="val/loss", save_top_k=1)],
)  # fmt: skip
trainer.fit(
    model,
    torch.utils.data.DataLoader(data, batch_size=8, shuffle=True),
    torch.utils.data.DataLoader(data, batch_size=64),
)
logger.log_text("notes", columns=["what"], data=[["done"]])
