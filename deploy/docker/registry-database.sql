-- The schema registry keeps its schemas beside Hookline's own database.
CREATE DATABASE registry;
