package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Both classes share a context: neither sees what was published before its first test method. */
class EventsBeforeATestTest {

    @Nested
    class First extends Published {}

    @Nested
    class Second extends Published {}

    @OutboxTest({Orders.class, Mail.class})
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Published {

        @Autowired
        private Orders orders;

        @Autowired
        private JdbcClient jdbc;

        @Autowired
        private OutboxTester outbox;

        @BeforeAll
        void publish() {
            orders.place("1", "lamp");
            ShopTables.empty(jdbc);
            assertThat(outbox).published(OrderPlaced.class);
        }

        @Test
        void startsWithoutEvents() {
            assertThat(outbox).publishedNothing();
        }
    }
}
