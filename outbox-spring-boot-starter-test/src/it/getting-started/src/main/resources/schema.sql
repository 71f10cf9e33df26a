CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, article text NOT NULL);
