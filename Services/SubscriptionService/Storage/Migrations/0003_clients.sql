-- Registered clients (web-services 8.1): a token, known by its digest, that a user of an environment registered. One token
-- may be registered in several environments and by several users; all share the queue `client.<name>`.

create table subscription.client (
    -- Hexadecimal digits of the token's digest: neither the token nor anything that it can be found from is kept.
    name text collate "C" not null,
    environment int not null references subscription.environment,
    user_name text collate "C" not null,
    -- What the client calls itself in `zonda-client`, so that it does not hear its own changes; null: it said nothing.
    client_id text collate "C",
    apns_environment text not null check (apns_environment in ('development', 'production')),
    registered_at timestamptz not null default now(),
    -- Past this it is not served any more; it and the queue are removed by the next round.
    expires_at timestamptz not null,
    -- Notifications that the queue had no room for since it was registered.
    dropped bigint not null default 0,
    dropped_at timestamptz,
    primary key (name, environment, user_name)
);
-- Whom to tell: asked for each user whose subscriptions fire, and counted when one more is registered.
create index client_user on subscription.client (environment, user_name, expires_at);
-- What a round removes.
create index client_expiry on subscription.client (expires_at);
