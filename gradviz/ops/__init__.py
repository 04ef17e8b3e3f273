"""The catalogue of ops: what each computes, the rule it sends a gradient back by, and what people are told of it."""
