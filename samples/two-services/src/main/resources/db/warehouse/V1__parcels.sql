CREATE TABLE parcels (id text PRIMARY KEY, article text NOT NULL);
