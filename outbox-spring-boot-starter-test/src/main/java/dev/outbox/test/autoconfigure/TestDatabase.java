package dev.outbox.test.autoconfigure;

/** Database of a test with {@link AutoConfigureOutbox @AutoConfigureOutbox}. */
public enum TestDatabase {
    /**
     * A new database on an embedded PostgreSQL, which all contexts of the JVM share; dropped when the context closes. It takes the place of
     * the database that {@code spring.datasource.*} names, and of H2. A {@code JdbcConnectionDetails} bean, such as that of a container with
     * {@code @ServiceConnection}, has precedence.
     */
    EMBEDDED,
    /**
     * The database that the application or the test configures. The test kit deletes all rows of the outbox's tables and of its archive there
     * when the context starts and after each test: never name a database with events that matter. One context at a time should use it.
     */
    CONFIGURED
}
