-- Subscriptions and how far their zones were delivered: DESIGN 4. The migrator has made the schema `subscription`.

create table subscription.environment (
    id int generated always as identity primary key,
    container text collate "C" not null,
    name text collate "C" not null check (name in ('development', 'production')),
    unique (container, name)
);
