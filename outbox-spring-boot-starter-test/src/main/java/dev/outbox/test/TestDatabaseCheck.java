package dev.outbox.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Protects a database that does not belong to the test: the test kit migrates it, and empties the tables of the outbox. */
record TestDatabaseCheck(DataSource dataSource, ObjectProvider<JdbcConnectionDetails> databases)
        implements InitializingBean {

    private static final String CONTAINERS = "org.springframework.boot.testcontainers.";

    @Override
    public void afterPropertiesSet() {
        String url = url();
        List<String> own = databases.stream(ObjectProvider.UNFILTERED)
                .filter(TestDatabaseCheck::isOfTest)
                .map(JdbcConnectionDetails::getJdbcUrl)
                .map(TestDatabaseCheck::withoutParameters)
                .toList();
        if (!own.contains(withoutParameters(url))) {
            throw new IllegalStateException("The DataSource of the outbox leads to " + withoutParameters(url)
                    + ", which is not the test database of this context, and the test kit migrates and empties the tables of the outbox."
                    + " If this database is for tests only, write"
                    + " @AutoConfigureOutbox(database = TestDatabase.CONFIGURED); otherwise build the DataSource from the"
                    + " JdbcConnectionDetails bean");
        }
    }

    /** The connection details of a container or of the embedded server; the application may define others for a real database. */
    private static boolean isOfTest(JdbcConnectionDetails details) {
        for (Class<?> type = details.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().startsWith("dev.outbox.test.autoconfigure.")
                    || type.getName().startsWith(CONTAINERS)) {
                return true;
            }
        }
        return false;
    }

    private String url() {
        try (Connection connection = dataSource.getConnection()) {
            return connection.getMetaData().getURL();
        } catch (SQLException ex) {
            throw new IllegalStateException("the database of the test cannot be reached", ex);
        }
    }

    /** Parameters may hold a password. */
    private static String withoutParameters(String url) {
        return url.replaceFirst("\\?.*", "");
    }
}
