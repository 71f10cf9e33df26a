CREATE TABLE orders (id text PRIMARY KEY, version bigint NOT NULL, invoice text, receipt text);
