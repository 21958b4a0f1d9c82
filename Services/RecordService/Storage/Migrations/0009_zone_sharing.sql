-- Which zones are shared. This migration and the next one each lock one table that every save uses, for the moment that
-- it takes to add columns: no row is rewritten or examined. They are separate because a save locks its zone before its
-- records, so a migration that held one of the two tables and waited for the other could wait for itself.
alter table record.zone
    -- 0: nothing is shared; 1: the zone contains shares of records; 2: it is shared as a whole.
    add column sharing smallint not null default 0,
    -- The number of the last change whose departures and ended shares have been purged.
    add column departure_mark bigint not null default 0,
    -- A service of an earlier release does not keep the memberships of the records that it writes. Its connections lack
    -- the setting `zonda.sharing`, so that every write in a shared zone fails there. `not valid` skips the examination of
    -- existing rows; it also makes pg_dump add the constraint after the rows.
    add constraint zone_sharing check (
        sharing = 0 or (sharing in (1, 2) and coalesce(current_setting('zonda.sharing', true), '') = 'on')) not valid;
