package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestMethodsTest {

    private static final String SOURCE = """
            class FooTest {

                @Test
                void first() throws IOException {
                    String json = "{\\"a\\": {"; // a brace {
                    char brace = '{';
                    if (json.isEmpty()) {
                        assertThat(foo)
                                .isOne();
                    }
                    assertThat(last).isZero();
                }

                @ParameterizedTest
                @CsvSource({"a", "b"})
                void second(String value) {
                    assertThat(value).isNotEmpty();
                }

                void noTest() {
                    assertThat(first).isTwo();
                }
            }
            """;

    @Test
    void bodyEndsAtItsOwnBrace() {
        assertThat(TestMethods.bodies(SOURCE, "first"))
                .singleElement()
                .asString()
                .startsWith("{Stringjson=")
                .contains("assertThat(foo).isOne();")
                .endsWith("assertThat(last).isZero();}");
    }

    @Test
    void parameterizedTestIsFound() {
        assertThat(TestMethods.bodies(SOURCE, "second")).containsExactly("{assertThat(value).isNotEmpty();}");
    }

    @Test
    void methodWithoutTestAnnotationIsNotFound() {
        assertThat(TestMethods.bodies(SOURCE, "noTest")).isEmpty();
    }

    @Test
    void testsOfDisabledClassAreNotFound() {
        assertThat(TestMethods.bodies(SOURCE.replace("class FooTest", "@Disabled\nclass FooTest"), "first"))
                .isEmpty();
    }
}
