# nubbin and a C compiler; docs/guides/fuzzers.md has the commands.
FROM python:3.13-slim
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml hatch_build.py README.md LICENSE /nubbin/
COPY core /nubbin/core
COPY src /nubbin/src
COPY docs /nubbin/docs
RUN pip install --no-cache-dir /nubbin
ENV HOME=/tmp
WORKDIR /work
ENTRYPOINT ["nubbin"]
