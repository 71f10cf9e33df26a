CREATE TABLE orders (id text PRIMARY KEY, article text NOT NULL);
CREATE TABLE sent_mail (event_id uuid PRIMARY KEY, order_id text NOT NULL);
CREATE TABLE shipment (order_id text NOT NULL);
CREATE TABLE invoice (order_id text NOT NULL);
CREATE TABLE alarm (handler_id text NOT NULL);
CREATE TABLE customer (name text PRIMARY KEY, greeted boolean NOT NULL);
