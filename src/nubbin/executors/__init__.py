"""Where does a query run? In line, in local workers, in any executor, in a Dask cluster."""
