package dev.outbox.sample;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Logs after startup which requests to try. */
@Component
@Profile("!worker")
final class Welcome {

    private static final Logger log = LoggerFactory.getLogger(Welcome.class);

    private static final String MESSAGE = """
            Ready, on %2$s

              In a browser: http://%1$s shows traffic, faults and the console

              Install the bot in a guild, and start a subscription:
                curl -i %1$s/guilds -H 'Content-Type: application/json' \\
                  -d '{"guildId": "guild-1", "installerUserId": "user-1"}'
                curl -i %1$s/subscriptions -H 'Content-Type: application/json' \\
                  -d '{"guildId": "guild-1", "planCode": "pro", "userId": "user-1"}'

              And see what its events have done:
                curl %1$s/licenses         # a license was granted, which is an event too
                curl %1$s/notifications    # the messages to guilds and owners
                curl %1$s/audit            # every event was recorded
                curl %1$s/events           # every event and its status
                curl %1$s/actuator/health  # whether events are waiting or dead

              What else there is to try: docs/tour.md

              Ctrl+C stops the service.
            """;

    private final Environment environment;
    private final DataSource dataSource;

    Welcome(Environment environment, DataSource dataSource) {
        this.environment = environment;
        this.dataSource = dataSource;
    }

    @EventListener(ApplicationReadyEvent.class)
    void greet() throws SQLException {
        String address = "localhost:" + environment.getProperty("local.server.port", "8080");
        log.info(MESSAGE.formatted(address, database()).stripTrailing());
    }

    private String database() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData database = connection.getMetaData();
            String url = database.getURL().replaceFirst("\\?.*", "");
            return database.getDatabaseProductName() + " " + database.getDatabaseProductVersion() + " at " + url;
        }
    }
}
