"""A second, independent calculation of the LightHouse figures, for tests to hold against."""
