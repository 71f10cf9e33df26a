package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;

@SpringBootTest
@AutoConfigureOutbox
class OrdersTest {

    @Test
    void orderIsReported(@Autowired Orders orders, @Autowired Reports reports, @Autowired OutboxTester outbox) {
        orders.place("1", "lamp");
        outbox.drain();
        assertThat(outbox).published(OrderPlaced.class).handledBy("reports");
        JdbcClient jdbc = JdbcClient.create(reports.database());
        assertThat(jdbc.sql("SELECT article FROM sale").query().singleValue()).isEqualTo("lamp");
    }
}
