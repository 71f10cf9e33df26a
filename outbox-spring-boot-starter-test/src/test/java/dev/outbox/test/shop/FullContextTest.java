package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

@SpringBootTest
@AutoConfigureOutbox
class FullContextTest {

    @Autowired
    private Orders orders;

    @Autowired
    private Registration registration;

    @Autowired
    private PlatformTransactionManager transactions;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxTester outbox;

    @Test
    void applicationKeepsItsAutoConfiguration() {
        registration.register("ann");
        orders.place("1", "lamp");

        outbox.drain();

        assertThat(transactions).isInstanceOf(JpaTransactionManager.class);
        assertThat(outbox).isDrained();
        assertThat(outbox).published(CustomerRegistered.class).handledBy("greeting");
        assertThat(ShopTables.count(jdbc, "invoice")).isOne();
    }
}
