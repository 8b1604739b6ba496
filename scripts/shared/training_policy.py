"""A small causal language model with a tokenizer of its own, behind an endpoint that gives tokens and their probabilities as vLLM does
(`logprobs`, `return_token_ids`); for `scripts/training-check`.

What it says is decided by a rule, so that episodes end as wanted; the probabilities are those that the model gives to what is said.
"""
import http.server
import json
import pathlib
import threading

import torch
import transformers
from tokenizers.implementations import ByteLevelBPETokenizer

TEMPLATE = (
    "{% for message in messages %}<|turn|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content if part.type == 'text' %}{{ part.text }}{% endfor %}{% endif %}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)


class Policy:
    """The tokenizer and the model."""

    def __init__(self, texts):
        torch.manual_seed(1)
        pieces = ByteLevelBPETokenizer()
        pieces.train_from_iterator((path.read_text() for path in texts), vocab_size=2000,
                                   special_tokens=["<|pad|>", "<|turn|>", "<|end|>"])
        self.tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_object=pieces._tokenizer, pad_token="<|pad|>", eos_token="<|end|>", chat_template=TEMPLATE)
        config = transformers.LlamaConfig(
            vocab_size=len(self.tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
            max_position_embeddings=1 << 16, pad_token_id=self.tokenizer.pad_token_id,
            bos_token_id=None, eos_token_id=self.tokenizer.eos_token_id)
        # Weights far from zero: probabilities that depend on each token before.
        config.initializer_range = 0.5
        self.model = transformers.LlamaForCausalLM(config).eval()

    def ids(self, messages):
        """The tokens of a conversation, up to where the reply begins."""
        return self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False)

    def logprobs(self, prompt, reply):
        """The natural logarithm of the probability of each token of a reply."""
        with torch.no_grad():
            logits = self.model(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1:-1]
        return logits.log_softmax(-1)[range(len(reply)), reply].tolist()


class Endpoint:
    """Serves a policy, which says what `decide(number)` gives for its request of that number."""

    def __init__(self, policy, decide):
        lock, count = threading.Lock(), iter(range(1 << 30))

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                assert asked["logprobs"] is True and asked["return_token_ids"] is True and asked["temperature"] == 1, asked
                with lock:
                    words = decide(next(count))
                    prompt = policy.ids(asked["messages"])
                    reply = policy.tokenizer.encode(words) + [policy.tokenizer.eos_token_id]
                    logprobs = policy.logprobs(prompt, reply)
                tokens = policy.tokenizer.convert_ids_to_tokens(reply)
                content = [{"token": token, "logprob": logprob, "bytes": list(token.encode()), "top_logprobs": []}
                           for token, logprob in zip(tokens, logprobs)]
                said = {"role": "assistant", "content": words, "reasoning_content": None, "tool_calls": []}
                body = json.dumps({
                    "id": "1", "object": "chat.completion", "created": 0, "model": asked["model"], "prompt_token_ids": prompt,
                    "choices": [{"index": 0, "finish_reason": "stop", "message": said, "token_ids": reply,
                                 "logprobs": {"content": content}}],
                    "usage": {"prompt_tokens": len(prompt), "completion_tokens": len(reply),
                              "total_tokens": len(prompt) + len(reply)},
                }).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def documentation():
    """Texts to learn tokens from."""
    return sorted(pathlib.Path(__file__).resolve().parents[2].glob("docs/*.md"))
