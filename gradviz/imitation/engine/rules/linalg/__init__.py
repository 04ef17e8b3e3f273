"""Rules of vectors and matrices: products, equations, factors, spectra, lengths and distances."""
