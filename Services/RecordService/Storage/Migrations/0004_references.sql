-- References that do something when their target goes (the table made by 0001 was never written to): partitioned like
-- records, so that an environment's go with it. action: DELETE_SELF 1, VALIDATE 2, parent 3; it stands before the source so
-- that the owned records of a target are counted, and found, without meeting the others.
drop table record.reference;
create table record.reference (
    environment int not null,
    zone bigint not null,
    target text collate "C" not null,
    action smallint not null check (action in (1, 2, 3)),
    source text collate "C" not null,
    field text collate "C" not null,
    primary key (environment, zone, target, action, source, field)
) partition by list (environment);
create index reference_source on record.reference (environment, zone, source);

-- Records that were deleted and whose dependents are not, because they were too many for one transaction: whoever points
-- to such a record by DELETE_SELF and was last changed before `seq` is gone for readers and writers, until the background
-- job has made it so.
create table record.cascade (
    environment int not null,
    zone bigint not null,
    name text collate "C" not null,
    seq bigint not null,
    user_name text collate "C" not null,
    primary key (zone, name, seq)
);
-- Whether record.cascade has rows of the zone: readers look at this one, which they read anyway.
alter table record.zone add column is_cascading boolean not null default false;

-- Environments that are there get their partitions, and rows for the references that their records hold.
do $$
declare
    e int;
begin
    for e in select id from record.environment loop
        execute format('create table record.reference_%1$s (like record.reference including all, check (environment = %1$s))', e);
        execute format('alter table record.reference attach partition record.reference_%1$s for values in (%1$s)', e);
        execute format($q$
            insert into record.reference (environment, zone, target, action, source, field)
            select %1$s, r.zone, v.value ->> 'recordName', case v.value ->> 'action' when 'DELETE_SELF' then 1 else 2 end,
                r.name, f.name
            from record.record_%1$s r join record.field f on f.record_type = r.record_type and f.type in (6, 22)
            cross join lateral jsonb_array_elements(case jsonb_typeof(r.fields -> f.name)
                when 'array' then r.fields -> f.name else jsonb_build_array(r.fields -> f.name) end) as v(value)
            where r.fields ? f.name and v.value ->> 'action' in ('DELETE_SELF', 'VALIDATE')
            union
            select %1$s, r.zone, r.parent, 3, r.name, '___parent'
            from record.record_%1$s r where r.parent is not null and r.fields is not null$q$, e);
    end loop;
end $$;
