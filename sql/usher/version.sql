-- The version of this schema; a number in a function travels with every kind of dump.
create or replace function usher.version() returns integer language sql immutable as 'select 1';
