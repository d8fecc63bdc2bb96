"""Run queries in line, in local threads, in any executor, or in a Dask cluster."""
