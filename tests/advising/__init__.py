"""Orders of loss, best decisions, advice and campaigns."""
