"""Where does a query run? In line or in local workers."""
