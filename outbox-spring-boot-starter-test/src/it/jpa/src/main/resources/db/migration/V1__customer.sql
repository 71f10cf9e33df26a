CREATE TABLE customer (name text PRIMARY KEY, greeted boolean NOT NULL);
