CREATE SCHEMA reservation;

CREATE TABLE reservation.reservations (
    id           uuid        NOT NULL,
    user_id      text        NOT NULL,
    place        text        NOT NULL,
    starts_at    timestamptz NOT NULL,
    status       text        NOT NULL DEFAULT 'requested',
    requested_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT reservations_pk PRIMARY KEY (id),
    CONSTRAINT reservations_status_known CHECK (status IN ('requested', 'confirmed'))
);

CREATE SCHEMA notice;

CREATE TABLE notice.notices (
    id           uuid        NOT NULL,
    title        text        NOT NULL,
    body         text        NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT notices_pk PRIMARY KEY (id)
);
