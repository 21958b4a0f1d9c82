-- The feed of the shared database: which zones of other users changed for a user.

-- The last transaction that gave or took access. Together with record.share.changed_xid, which every change of a member
-- of the share raises, it says whether the user's shares have news. The default is computed once, so no row is rewritten.
alter table record.participant add column changed_xid xid8 not null default pg_current_xact_id();
-- The shares to which a user has, or had, access, by zone. Invitations are not in the index, so that nobody can make the
-- lists of another user expensive.
create index participant_feed on record.participant (environment, user_name, zone)
    where role <> 1 and since_seq is not null;
-- Every change of a shared record updates the row of its share.
alter table record.share set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- The last transaction whose losses of access have been purged, for each environment: older tokens of the shared database
-- have expired. It is not a column of record.environment, which every request reads.
create table record.shared_database (
    environment int primary key references record.environment on delete cascade,
    purge_mark xid8 not null
);
