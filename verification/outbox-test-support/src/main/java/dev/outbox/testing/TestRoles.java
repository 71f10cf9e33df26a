package dev.outbox.testing;

/**
 * The roles of a test server, none of them a superuser: the owner of the databases, and an application with the rights that the outbox's
 * {@code grants.sql} gives to a publisher, a worker and a reader. A process of its own is a worker and an eraser.
 */
final class TestRoles {

    static final String OWNER = "outbox_test_owner";
    static final String APPLICATION = "outbox_test_application";
    static final String PASSWORD = "outbox";

    /** Tests arrange as the owner: they look at the sessions of the application, end some, copy databases, and act as a standby. */
    private static final String CREATE = """
            DO $block$
            DECLARE
                role text;
            BEGIN
                PERFORM pg_advisory_xact_lock(hashtext('outbox test roles'));
                IF to_regrole('%1$s') IS NULL THEN
                    CREATE ROLE %1$s LOGIN CREATEDB REPLICATION PASSWORD '%3$s' IN ROLE pg_monitor, pg_signal_backend;
                    FOREACH role IN ARRAY ARRAY['outbox_publisher', 'outbox_worker', 'outbox_reader'] LOOP
                        IF to_regrole(role) IS NULL THEN
                            EXECUTE format('CREATE ROLE %%I', role);
                        END IF;
                    END LOOP;
                    CREATE ROLE %2$s LOGIN PASSWORD '%3$s' IN ROLE outbox_publisher, outbox_worker, outbox_reader;
                    CREATE ROLE outbox_eraser LOGIN PASSWORD '%3$s' IN ROLE outbox_worker;
                END IF;
            END
            $block$
            """.formatted(OWNER, APPLICATION, PASSWORD);

    /** Privileges of an application on its own tables. */
    private static final String OWN_TABLES = """
            ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO %1$s;
            ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO %1$s;
            """.formatted(APPLICATION);

    private TestRoles() {}

    static void create(ServerAddress server) {
        server.execute(CREATE);
    }

    /** Turns a script for {@code psql} into one for the driver, for the roles of the tests. */
    static String grants(String script) {
        return OWN_TABLES
                + script.replaceAll("(?m)^\\\\.*$", "")
                        .replace(":\"schema\"", "events")
                        .replace(":\"archive_schema\"", "audit")
                        .replace(":\"migrator\"", OWNER)
                        .replaceAll(":\"(publisher|worker|reader|eraser)\"", "outbox_$1");
    }
}
