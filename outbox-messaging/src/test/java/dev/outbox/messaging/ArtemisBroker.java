package dev.outbox.messaging;

import java.nio.file.Path;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

/** Broker in this process, whose messages survive a restart. */
final class ArtemisBroker {

    static final String URL = "vm://1";

    private static final int JOURNAL_FILE_SIZE = 1 << 20;

    private final Path data;
    private EmbeddedActiveMQ running;

    ArtemisBroker(Path data) {
        this.data = data;
    }

    void start() {
        try {
            Configuration configuration = new ConfigurationImpl()
                    .setPersistenceEnabled(true)
                    .setSecurityEnabled(false)
                    .setJMXManagementEnabled(false)
                    .setJournalType(JournalType.NIO)
                    .setJournalFileSize(JOURNAL_FILE_SIZE)
                    .setJournalDirectory(data.resolve("journal").toString())
                    .setBindingsDirectory(data.resolve("bindings").toString())
                    .setLargeMessagesDirectory(data.resolve("large").toString())
                    .setPagingDirectory(data.resolve("paging").toString())
                    .setMaxDiskUsage(-1)
                    .addAcceptorConfiguration("vm", URL);
            running = new EmbeddedActiveMQ().setConfiguration(configuration);
            running.start();
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    void stop() {
        try {
            running.stop();
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }
}
