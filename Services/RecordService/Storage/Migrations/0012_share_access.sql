-- No release has the tables of migration 0011 without this migration. Therefore, they are empty here, and the indexes are
-- built at once.

-- lost_seq: the change by which access was lost before it was last gained. lost_at: when access was last lost.
alter table record.participant add column lost_seq bigint, add column lost_at timestamptz;
update record.participant set lost_seq = until_seq where until_seq < since_seq;
update record.participant set lost_at = now() where status in (3, 4);
-- What a user may see of a zone.
create index participant_access on record.participant (zone, user_name) where role <> 1 and since_seq is not null;
-- The zones that a user may see. Invitations, of which anybody can make any number, are not in it.
create index participant_accepted on record.participant (environment, user_name) where role <> 1 and status = 2;
-- The former participants that are due to be purged, oldest first.
create index participant_former on record.participant (environment, lost_at) where status in (3, 4);

-- Whether all records have been removed from a share that has ended.
alter table record.share add column is_empty boolean not null default false;
-- The shares that have ended and are not empty.
create index share_leaving on record.share (zone, ended_seq) where ended_seq is not null and not is_empty;
