package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestMethodsTest {

    private static final String SOURCE = """
            class FooTest {

                @Test
                void first() throws IOException {
                    String json = "{\\"a\\": {;"; // assertThat(brace).isEqualTo('{');
                    char brace = '{';
                    if (json.isEmpty()) {
                        assertThat(foo)
                                .isOne();
                    }
                    assertThat(last).isEqualTo("// none");
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
    void statementsThatAssertAreFound() {
        assertThat(TestMethods.assertions(SOURCE, "first"))
                .containsExactly(
                        "if(json.isEmpty()){assertThat(foo).isOne();", "}assertThat(last).isEqualTo(\"//none\");");
    }

    @Test
    void parameterizedTestIsFound() {
        assertThat(TestMethods.assertions(SOURCE, "second")).containsExactly("{assertThat(value).isNotEmpty();");
    }

    @Test
    void methodWithoutTestAnnotationIsNotFound() {
        assertThat(TestMethods.assertions(SOURCE, "noTest")).isEmpty();
    }

    @Test
    void testsOfDisabledClassAreNotFound() {
        assertThat(TestMethods.assertions(SOURCE.replace("class FooTest", "@Disabled\nclass FooTest"), "first"))
                .isEmpty();
    }
}
