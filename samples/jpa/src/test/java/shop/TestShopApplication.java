package shop;

import java.util.UUID;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@TestConfiguration(proxyBeanMethods = false)
class TestShopApplication {

    public static void main(String... args) {
        SpringApplication.from(ShopApplication::main)
                .with(TestShopApplication.class)
                .run(args);
    }

    @Bean
    CommandLineRunner firstOrder(Orders orders) {
        return (arguments) -> {
            String id = UUID.randomUUID().toString();
            orders.place(id);
            orders.pay(id, "invoice 7");
        };
    }
}
