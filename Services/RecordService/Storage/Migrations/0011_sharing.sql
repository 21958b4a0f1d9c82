-- The shares, their participants and links, and the records that left them.

-- root: null for the share of a whole zone. public_permission: SharePermission, NONE 1, READ_ONLY 2, READ_WRITE 3.
create table record.share (
    environment int not null,
    zone bigint not null,
    id bigint not null,
    name text collate "C" not null,
    root text collate "C",
    public_permission smallint not null check (public_permission in (1, 2, 3)),
    -- The number and the time of the change that ended the share.
    ended_seq bigint,
    ended_at timestamptz,
    -- Raised whenever a participant gains or loses access.
    audience bigint not null default 1,
    -- The last transaction that changed the share or its participants.
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (zone, id)
);
create unique index share_name on record.share (zone, name) where ended_seq is null;
create unique index share_root on record.share (zone, root) where ended_seq is null;
create unique index share_of_zone on record.share (zone) where root is null and ended_seq is null;
-- The ended shares that are due to be purged, and the shares of a deleted environment.
create index share_ended on record.share (environment, ended_at);

-- role: OWNER 1, ADMINISTRATOR 2, USER 3, PUBLIC_USER 4. status: INVITED 1, ACCEPTED 2, REMOVED 3, UNSUBSCRIBED 4.
create table record.participant (
    environment int not null,
    zone bigint not null,
    share bigint not null,
    id int not null,
    -- Null until a user accepts an invitation that names an email address.
    user_name text collate "C",
    email text collate "C",
    role smallint not null check (role in (1, 2, 3, 4)),
    permission smallint not null check (permission in (1, 2, 3)),
    status smallint not null check (status in (1, 2, 3, 4)),
    -- The changes by which access was last gained and last lost.
    since_seq bigint,
    until_seq bigint,
    primary key (zone, share, id),
    foreign key (zone, share) references record.share on delete cascade
);
create unique index participant_user on record.participant (zone, share, user_name);
-- The zones that others share with a user, and the participants of a deleted environment.
create index participant_zones on record.participant (environment, user_name) where role <> 1;

-- The identifier of a record in links: of a root, or of the share of a whole zone. It outlives the share.
create table record.link (
    environment int not null,
    zone bigint not null,
    name text collate "C" not null,
    link text collate "C" not null,
    -- The SHA-256 of the link, by which it is found: the time of a look-up says nothing about other links.
    digest bytea not null unique,
    primary key (zone, name)
);
-- The links of a deleted environment.
create index link_environment on record.link (environment);

-- Records that left a share and were not deleted, or whose names were used again outside of it. since: when the record had
-- entered.
create table record.departure (
    environment int not null,
    zone bigint not null,
    share bigint not null,
    seq bigint not null,
    name text collate "C" not null,
    since bigint not null,
    left_at timestamptz not null default now(),
    primary key (zone, share, seq, name)
);
-- The departures that are due to be purged, oldest first.
create index departure_due on record.departure (environment, left_at);

-- Every environment has the type of shares (semantics 11.2). type: STRING 1, BYTES 5. Triggers make this true even for
-- environments that a service of an earlier release creates, and for schemas that it replaces.
create function record.add_share_type() returns trigger language plpgsql as $$
begin
    with made as (
        insert into record.record_type (environment, name) values (new.id, 'cloudkit.share')
        on conflict do nothing returning id)
    insert into record.field (record_type, name, type)
    select made.id, f.name, f.type from made
    cross join (values ('cloudkit.thumbnailImageData', 5::smallint), ('cloudkit.title', 1::smallint),
        ('cloudkit.type', 1::smallint)) as f(name, type)
    on conflict do nothing;
    return null;
end $$;
create trigger share_type after insert on record.environment for each row execute function record.add_share_type();

create function record.keep_share_type() returns trigger language plpgsql as $$
begin
    new.dropped_at := null;
    return new;
end $$;
create trigger share_type before update on record.record_type for each row
    when (new.name = 'cloudkit.share' and new.dropped_at is not null) execute function record.keep_share_type();
create trigger share_field before update on record.field for each row
    when (new.name in ('cloudkit.thumbnailImageData', 'cloudkit.title', 'cloudkit.type') and new.dropped_at is not null)
    execute function record.keep_share_type();

with made as (
    insert into record.record_type (environment, name) select id, 'cloudkit.share' from record.environment
    on conflict do nothing returning id)
insert into record.field (record_type, name, type)
select made.id, f.name, f.type from made
cross join (values ('cloudkit.thumbnailImageData', 5::smallint), ('cloudkit.title', 1::smallint),
    ('cloudkit.type', 1::smallint)) as f(name, type)
on conflict do nothing;
