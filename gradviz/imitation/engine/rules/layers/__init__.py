"""Rules of what layers of networks do besides products: norms, attention, softmax, bags, recurrence."""
