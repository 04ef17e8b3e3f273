"""The timeline: transport, sweeps, both passes as one track, and the step in words."""
