"""Pictures of odds and sweeps."""
