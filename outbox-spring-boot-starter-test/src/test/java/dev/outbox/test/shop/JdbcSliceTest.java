package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

@JdbcTest
@AutoConfigureOutbox
@Import({Orders.class, Mail.class})
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class JdbcSliceTest {

    @Autowired
    private Orders orders;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxTester outbox;

    @Test
    void runsOnTheEmbeddedPostgres() {
        orders.place("1", "lamp");

        assertThat(outbox.drain().handled()).isOne();
        assertThat(outbox).published(OrderPlaced.class).handledBy("mail");
        assertThat(jdbc.sql("SELECT version()").query(String.class).single()).startsWith("PostgreSQL");
    }
}
