//! Splits the game tree, leases jobs, takes in facts, answers queries.
