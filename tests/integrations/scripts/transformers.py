# mypy: ignore-errors
"""Train a tiny language model from a config with Trainer; only ``report_to`` says that the SDK logs it."""

import os

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

os.environ["WANDB_LOG_MODEL"] = "checkpoint"  # Trainer's own way to ask for it
torch.manual_seed(0)
model = GPT2LMHeadModel(
    GPT2Config(vocab_size=32, n_positions=16, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0)
)
counting = [torch.arange(start, start + 16) % 32 for start in range(64)]
rows = [{"input_ids": tokens, "labels": tokens} for tokens in counting]
arguments = TrainingArguments(
    output_dir="out", run_name="counting", report_to="wandb", num_train_epochs=3, per_device_train_batch_size=8,
    learning_rate=0.01, logging_steps=4, eval_strategy="epoch", save_strategy="epoch", use_cpu=True, seed=1,
)  # fmt: skip
trainer = Trainer(model=model, args=arguments, train_dataset=rows[:48], eval_dataset=rows[48:])
trainer.train()
trainer.evaluate()
