package warehouse;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

@SpringBootApplication
public class WarehouseApplication {

    public static void main(String... args) {
        new SpringApplicationBuilder(WarehouseApplication.class)
                .properties("spring.config.name=warehouse")
                .run(args);
    }
}
