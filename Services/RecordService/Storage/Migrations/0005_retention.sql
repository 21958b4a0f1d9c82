-- Retention (DESIGN 3): what the feeds forget in time, and by what a reader who comes too late is known.

-- The tombstones that are due, oldest first, without a look at anything alive.
create index record_tombstones on record.record (modified_at) where fields is null;

-- The incarnations of a zone, the last one first: why a zone is not there.
create index zone_named on record.zone (database, name, id);

-- The last transaction that deleted a zone whose row is gone since: a token of the database that does not see
-- everything up to it is expired.
alter table record.database add column purge_mark xid8 not null default '0';

-- Deleted zones whose records are gone already go in their time like the others.
insert into record.job (kind, arguments)
select 'zone.forget', jsonb_build_object('environment', d.environment, 'zone', z.id)
from record.zone z join record.database d on d.id = z.database
where z.deleted_at is not null and not exists (
    select from record.job j where j.kind = 'zone.reclaim' and (j.arguments->>'zone')::int8 = z.id);
