-- Consumers that may hear some zones: what `zonda consumer grant` has granted, for replays. The same stands in the
-- broker as rights of the consumer's user, which decide on bindings.
create table subscription.consumer (
    name text collate "C" primary key,
    -- Who asks for a replay is told by the user-id that RabbitMQ has validated.
    broker_user text collate "C" not null unique,
    environment int not null references subscription.environment,
    scope smallint not null check (scope in (1, 2)),
    owner text collate "C" not null,
    -- The zones by name, whether they are there or not; null: every zone of the database.
    zones text[] check (cardinality(zones) > 0),
    granted_at timestamptz not null default now()
);
