package dev.outbox.test.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EmbeddedDatabaseTest {

    private static final String LINE_OF_INITDB = "The files belonging to this database system will be owned by";

    private final Logger library = (Logger) LoggerFactory.getLogger(EmbeddedPostgres.class);
    private final Logger own = (Logger) LoggerFactory.getLogger(EmbeddedDatabase.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @Test
    void linesOfInitdbAppearAtDebugOnly() throws IOException {
        Level before = own.getLevel();
        library.setLevel(Level.INFO);
        own.setLevel(Level.DEBUG);
        lines.start();
        List.of(library, own).forEach((logger) -> logger.addAppender(lines));
        try (EmbeddedPostgres postgres = EmbeddedDatabase.start()) {
            assertThat(postgres.getPort()).isPositive();
            assertThat(lines.list)
                    .filteredOn((line) -> line.getLevel() == Level.INFO)
                    .hasSizeLessThan(5)
                    .noneMatch((line) -> line.getFormattedMessage().contains(LINE_OF_INITDB));
            assertThat(lines.list)
                    .filteredOn((line) -> line.getLevel() == Level.DEBUG)
                    .singleElement()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .contains(LINE_OF_INITDB);
        } finally {
            List.of(library, own).forEach((logger) -> logger.detachAppender(lines));
            own.setLevel(before);
            library.setLevel(null);
        }
    }
}
