"""The interpreter and the engine that imitate PyTorch digit by digit; they go once `run` and `engine` carry everything."""
