package dev.outbox.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** One property takes the faults away. */
class DemoModeTest {

    /** There is no server, so every query fails. */
    private final DataSource nowhere = new DriverManagerDataSource("jdbc:postgresql://localhost:1/nowhere");

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withBean(JdbcClient.class, () -> JdbcClient.create(nowhere))
            .withUserConfiguration(FaultConfiguration.class, Faults.class, Outages.class);

    @Test
    void demoIsOffByDefault() throws IOException {
        assertThat(new YamlPropertySourceLoader()
                        .load("application.yaml", new ClassPathResource("application.yaml"))
                        .get(0)
                        .getProperty("demo.enabled"))
                .isEqualTo(false);
    }

    @Test
    void withTheDemoThereAreSwitchesAndAWrapperAroundHandlers() {
        service.withPropertyValues("demo.enabled=true")
                .run((context) ->
                        assertThat(context).hasSingleBean(Advisor.class).hasSingleBean(Faults.class));
    }

    @Test
    void withoutTheDemoThereIsNeitherASwitchNorAnOutage() {
        service.withPropertyValues("demo.enabled=false").run((context) -> {
            assertThat(context).doesNotHaveBean(Advisor.class).doesNotHaveBean(Faults.class);
            assertThat(context.getBean(Outages.class).isDown("courier")).isFalse();
        });
    }
}
