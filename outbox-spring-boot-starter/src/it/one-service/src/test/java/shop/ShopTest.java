package shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DuplicateKeyException;

class ShopTest {

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void startServer() throws IOException {
        postgres = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stopServer() throws IOException {
        postgres.close();
    }

    @Test
    void committedOrdersAreShippedAcrossRestarts() throws InterruptedException {
        try (ConfigurableApplicationContext shop = start()) {
            Orders orders = shop.getBean(Orders.class);
            orders.place("1", "lamp");
            assertThatThrownBy(() -> orders.place("1", "chair")).isInstanceOf(DuplicateKeyException.class);
            assertThat(nextShipment(shop)).isEqualTo("1: 1 lamp");
        }
        try (ConfigurableApplicationContext shop = start()) {
            shop.getBean(Orders.class).place("2", "table");
            assertThat(nextShipment(shop)).isEqualTo("2: 1 table");
        }
    }

    /** The only configuration is where the database is. */
    private static ConfigurableApplicationContext start() {
        return SpringApplication.run(
                Shop.class, "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"));
    }

    private static String nextShipment(ConfigurableApplicationContext shop) throws InterruptedException {
        return shop.getBean(Warehouse.class).shipped.poll(30, TimeUnit.SECONDS);
    }
}
