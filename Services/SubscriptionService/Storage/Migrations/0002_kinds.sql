-- Subscriptions of all kinds, what became of their notifications, and badges: semantics 9.

alter table subscription.subscription
    -- CKSubscription.SubscriptionType's numbers: 1 query, 2 record zone, 3 database.
    add column kind smallint not null default 2 check (kind in (1, 2, 3)),
    -- Only changes of records of this type; a query's own type.
    add column record_type text collate "C",
    -- The query dictionary as Zonda writes it, for whoever lists it.
    add column query jsonb,
    -- 1 creation, 2 update, 4 deletion: CKQuerySubscription.Options' bits.
    add column fires_on smallint check (fires_on between 1 and 7),
    add column fires_once boolean not null default false,
    -- What the record service made of the query: its canonical form, which the matching reads again.
    add column predicate text,
    -- Whether the user may read own records of the type only, or none any more.
    add column own_only boolean not null default false,
    add column denied boolean not null default false,
    -- The environment's number by which that was decided: before it fires for a change with a larger one it is asked again.
    add column rights bigint,
    -- The equality that a record has to meet for the predicate to hold (Matching/EqualityTerm.swift): the key and the
    -- term, both digests; 0: there is none, and every record of the type is looked at.
    add column term_key bigint,
    add column term bigint,
    -- The change for which a subscription that fires once was claimed: it fires for no other, is listed no more, and is
    -- removed when the cursor of the zone has passed it.
    add column fired_incarnation uuid,
    add column fired_seq bigint,
    add column fired_at timestamptz,
    -- Whether its notification was confirmed: from then on the claim stays with its change whatever comes.
    add column told boolean not null default false,
    add constraint subscription_query_whole check (
        kind <> 1 or (record_type is not null and query is not null and fires_on is not null
            and predicate is not null and term_key is not null and term is not null));
comment on column subscription.subscription.zone_owner is
    'Whose database it watches: the user, or _public.';
comment on column subscription.subscription.zone_name is
    'The zone that it watches; empty: every zone of the database.';
alter table subscription.subscription alter column kind drop default;

-- Who watches a zone or its database, and whose queries a record may match: each asked once for a batch of changes.
drop index subscription.subscription_zone;
create index subscription_zone on subscription.subscription (zone_owner, zone_name, environment) where kind in (2, 3);
create index subscription_query
    on subscription.subscription (record_type, zone_owner, environment, term_key, term, id) where kind = 1;

create index subscription_fired on subscription.subscription (fired_incarnation) where fired_seq is not null;

-- What became of a subscription's notifications: written a while later, many at a time, and lost with a crash.
create table subscription.delivery (
    id uuid primary key references subscription.subscription on delete cascade,
    delivered bigint not null,
    refused bigint not null,
    last_seq bigint not null,
    last_zone text collate "C" not null,
    last_at timestamptz not null,
    -- From the change's commit to the broker's confirmation, of the last notification.
    last_lag_ms bigint not null,
    last_error text,
    last_error_at timestamptz
) with (fillfactor = 50);

-- The number on the app's icon, for each user of a container: semantics 9.4.
create table subscription.badge (
    environment int not null references subscription.environment,
    user_name text collate "C" not null,
    count int not null check (count >= 0),
    primary key (environment, user_name)
) with (fillfactor = 50);
