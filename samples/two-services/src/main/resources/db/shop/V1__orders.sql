CREATE TABLE orders (id text PRIMARY KEY, article text NOT NULL, parcel text);
