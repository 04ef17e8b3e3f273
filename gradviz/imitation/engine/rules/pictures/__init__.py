"""Rules of what slides over pictures, or makes them larger or smaller."""
