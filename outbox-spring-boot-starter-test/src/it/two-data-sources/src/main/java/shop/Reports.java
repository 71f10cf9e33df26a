package shop;

import dev.outbox.OutboxHandler;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

@Configuration
class Reports {

    @Bean(defaultCandidate = false)
    DataSource database() {
        String table = "CREATE TABLE IF NOT EXISTS sale (article text)";
        return DataSourceBuilder.create().url("jdbc:h2:mem:reports;INIT=" + table).build();
    }

    @OutboxHandler(id = "reports")
    void add(OrderPlaced order) {
        JdbcClient jdbc = JdbcClient.create(database());
        jdbc.sql("INSERT INTO sale (article) VALUES (?)").param(order.article()).update();
    }
}
