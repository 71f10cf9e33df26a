package dev.outbox.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class JsonbTextTest {

    private static final List<String> TEXTS = List.of(
            "{}",
            "[]",
            " null ",
            "\"a\\u00e4\\n\\t\\b\\f\\r\\\"\\\\\\/\\u0001\\u001f\\u007f\\ud83d\\ude00\"",
            "{\"bb\":1,\"a\":2,\"ä\":3,\"b\":4,\"a\":5,\"ccc\":{\"y\":[],\"x\":[1,{}, true,false]}}",
            "[0,-0,-0.0,1.0,1.50,1e5,1.0e5,1E-7,1.230e-5,12345678901234567890.12345678901234567890,1e20,-1.5E+3,0.1e1,0e10]",
            "{\"\":\"\",\"  \":\" \"}");

    @Test
    void textIsThatOfPostgres() {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            JdbcClient sql = JdbcClient.create(database.dataSource());
            for (String text : TEXTS) {
                assertThat(JsonbText.of(text))
                        .isEqualTo(sql.sql("SELECT CAST(:json AS jsonb)::text")
                                .param("json", text)
                                .query(String.class)
                                .single());
            }
        }
    }
}
