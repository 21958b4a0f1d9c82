-- Values in the change log, for subscriptions that look at records (decisions 96 to 99).

-- Since when changes of the type's records are logged with their values: somebody said that they have an interest. It ends
-- with the type only. Written under the schema's exclusive lock, with a new version.
alter table record.record_type add column watched_at timestamptz;

-- The types that are watched, by their names: what a reset takes away and is learnt again is watched from its first record
-- on, since subscriptions outlive a reset.
create table record.watched_type (
    container int not null references record.container on delete cascade,
    environment text collate "C" not null,
    record_type text collate "C" not null,
    primary key (container, environment, record_type)
);

-- Changes whenever the schema, or who may do what, was changed other than by learning. From a sequence of all environments:
-- the one that a reset puts in an environment's place has a larger number.
create sequence record.rights;
alter table record.environment add column rights bigint not null default nextval('record.rights');
alter sequence record.rights owned by record.environment.rights;

-- About how many bytes the records of a row take, so that pages are cut without unpacking what they leave out; null: of an
-- earlier release.
alter table record.change add column bytes int;

-- A zone's deletion is the last row of its log, with a number of its own and no records.
alter table record.change add column is_deletion boolean not null default false;
