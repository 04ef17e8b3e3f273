"""A recording as one HTML file that plays in a browser: what the page holds, how it is packed and put together."""
